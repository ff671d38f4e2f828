/** A module that reads nothing but java.base and opens nothing. */
module instr.cases.app {}
