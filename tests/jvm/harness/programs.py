ALL=[]
class Skip(Exception): pass
