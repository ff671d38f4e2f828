// Inflates block by block. Codes of up to SHORT bits are looked up in a table, longer ones are read bit by bit; every
// read and every write is checked. Errors are sticky: after one, bits are 0 and blocks end.

#include "instr/kit/inflate.h"

#include <string.h>

enum {
    LONGEST_CODE = 15,
    SHORT = 8,
    LITERALS = 288,
    DISTANCES = 30,
    END_OF_BLOCK = 256,
    LENGTH_CODES = 19 // of the code that describes the other two
};

struct inflater {
    const uint8_t *bytes;
    size_t length, at;
    uint64_t bits; // read, not used yet; the next one is the lowest, those above bit_count are 0
    unsigned bit_count;
    uint8_t *to;
    size_t size, filled;
    bool failed;
};

static void fail(struct inflater *in) {
    in->failed = true;
}

// Reads what fits, as far as there is any.
static void read_bits(struct inflater *in) {
    while (in->bit_count <= 56 && in->at < in->length) {
        in->bits |= (uint64_t)in->bytes[in->at++] << in->bit_count;
        in->bit_count += 8;
    }
}

static void drop_bits(struct inflater *in, unsigned count) {
    in->bits >>= count;
    in->bit_count -= count;
}

// Up to 16 bits.
static unsigned take_bits(struct inflater *in, unsigned count) {
    if (in->bit_count < count) read_bits(in);
    if (in->failed || in->bit_count < count) {
        fail(in);
        return 0;
    }
    unsigned value = (unsigned)in->bits & ((1u << count) - 1);
    drop_bits(in, count);
    return value;
}

// The bits up to the next byte mean nothing; bytes that were read ahead are given back.
static void end_at_byte(struct inflater *in) {
    in->at -= in->bit_count / 8;
    in->bits = in->bit_count = 0;
}

// A Huffman code: how many symbols have codes of each length, and the symbols in the order of their codes. `by_bits`: for
// the next SHORT bits the symbol and, above SYMBOL_BITS, the length of its code; 0: the code is longer, or none.
enum { SYMBOL_BITS = 12 };
struct code {
    uint16_t counts[LONGEST_CODE + 1];
    uint16_t symbols[LITERALS];
    uint16_t by_bits[1 << SHORT];
};

// Codes are read from their highest bit on, and the first bit read is the lowest of the index.
static void fill_table(struct code *code) {
    unsigned value = 0, index = 0;
    memset(code->by_bits, 0, sizeof code->by_bits);
    for (unsigned length = 1; length <= SHORT; length++, value <<= 1)
        for (unsigned n = code->counts[length]; n > 0; n--, value++, index++) {
            unsigned first = 0;
            for (unsigned bit = 0; bit < length; bit++)
                first |= (value >> bit & 1) << (length - 1 - bit);
            for (unsigned at = first; at < 1u << SHORT; at += 1u << length)
                code->by_bits[at] = (uint16_t)(length << SYMBOL_BITS | code->symbols[index]);
        }
}

// Makes the code from the length of each symbol's code, 0: it has none. Returns false unless every sequence of
// bits has one meaning. `lone`: a single symbol may have a code of one bit. No symbol at all is a code, too.
static bool make_code(struct code *code, const uint8_t *lengths, unsigned count, bool lone) {
    uint16_t offsets[LONGEST_CODE + 1] = {0};
    int left = 1; // codes of the current length that are free
    unsigned used = 0;
    memset(code->counts, 0, sizeof code->counts);
    for (unsigned i = 0; i < count; i++) code->counts[lengths[i]]++;
    used = count - code->counts[0];
    for (unsigned length = 1; length <= LONGEST_CODE; length++) {
        left = 2 * left - code->counts[length];
        if (left < 0) return false;
        if (length < LONGEST_CODE)
            offsets[length + 1] = (uint16_t)(offsets[length] + code->counts[length]);
    }
    for (unsigned i = 0; i < count; i++)
        if (lengths[i]) code->symbols[offsets[lengths[i]]++] = (uint16_t)i;
    fill_table(code);
    return left == 0 || used == 0 || (lone && used == 1 && code->counts[1] == 1);
}

static unsigned take_long_symbol(struct inflater *in, const struct code *code) {
    int value = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= LONGEST_CODE && !in->failed; length++) {
        value |= (int)take_bits(in, 1);
        int count = code->counts[length];
        if (value - first < count) return code->symbols[index + value - first];
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    fail(in);
    return END_OF_BLOCK;
}

static unsigned take_symbol(struct inflater *in, const struct code *code) {
    if (in->bit_count < SHORT) read_bits(in);
    unsigned found = code->by_bits[in->bits & ((1u << SHORT) - 1)], length = found >> SYMBOL_BITS;
    if (length == 0 || length > in->bit_count || in->failed) return take_long_symbol(in, code);
    drop_bits(in, length);
    return found & ((1u << SYMBOL_BITS) - 1);
}

static void put_byte(struct inflater *in, uint8_t byte) {
    if (in->filled == in->size)
        fail(in);
    else
        in->to[in->filled++] = byte;
}

// The copy may overlap what it copies.
static void put_copy(struct inflater *in, size_t distance, size_t length) {
    if (in->failed || distance > in->filled || length > in->size - in->filled) {
        fail(in);
        return;
    }
    for (; length > 0; length--, in->filled++) in->to[in->filled] = in->to[in->filled - distance];
}

static void inflate_symbols(struct inflater *in, const struct code *literals,
                            const struct code *distances) {
    static const uint16_t length_bases[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                            15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                            67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t bases[DISTANCES] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!in->failed) {
        unsigned symbol = take_symbol(in, literals);
        if (symbol == END_OF_BLOCK) return;
        if (symbol < END_OF_BLOCK) {
            put_byte(in, (uint8_t)symbol);
            continue;
        }
        unsigned k = symbol - END_OF_BLOCK - 1;
        if (k >= sizeof length_bits) {
            fail(in);
            return;
        }
        size_t length = length_bases[k] + take_bits(in, length_bits[k]);
        unsigned d = take_symbol(in, distances);
        if (d >= DISTANCES) {
            fail(in);
            return;
        }
        put_copy(in, bases[d] + take_bits(in, d < 4 ? 0 : d / 2 - 1), length);
    }
}

static void inflate_fixed(struct inflater *in) {
    struct code literals, distances;
    uint8_t lengths[LITERALS];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    make_code(&literals, lengths, LITERALS, false);
    memset(lengths, 5, 32);
    make_code(&distances, lengths, 32, false);
    inflate_symbols(in, &literals, &distances);
}

// Reads the lengths of both codes, which are themselves coded, with runs.
static bool take_lengths(struct inflater *in, const struct code *code, uint8_t *lengths,
                         unsigned count) {
    for (unsigned i = 0; i < count && !in->failed;) {
        unsigned symbol = take_symbol(in, code), repeat = 1;
        uint8_t length = 0;
        if (symbol < 16) {
            length = (uint8_t)symbol;
        } else if (symbol == 16) {
            if (i == 0) return false;
            length = lengths[i - 1];
            repeat = 3 + take_bits(in, 2);
        } else {
            repeat = symbol == 17 ? 3 + take_bits(in, 3) : 11 + take_bits(in, 7);
        }
        if (repeat > count - i) return false;
        memset(lengths + i, length, repeat);
        i += repeat;
    }
    return !in->failed;
}

static void inflate_dynamic(struct inflater *in) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct code literals, distances;
    uint8_t lengths[LITERALS + 32] = {0};
    unsigned literal_count = 257 + take_bits(in, 5), distance_count = 1 + take_bits(in, 5);
    unsigned count = 4 + take_bits(in, 4);
    for (unsigned i = 0; i < count; i++) lengths[order[i]] = (uint8_t)take_bits(in, 3);
    if (in->failed || literal_count > 286 || distance_count > DISTANCES ||
        !make_code(&literals, lengths, LENGTH_CODES, false) ||
        !take_lengths(in, &literals, lengths, literal_count + distance_count) ||
        lengths[END_OF_BLOCK] == 0 || !make_code(&literals, lengths, literal_count, true) ||
        !make_code(&distances, lengths + literal_count, distance_count, true))
        fail(in);
    else
        inflate_symbols(in, &literals, &distances);
}

static void inflate_stored(struct inflater *in) {
    end_at_byte(in);
    unsigned length = take_bits(in, 16), complement = take_bits(in, 16);
    end_at_byte(in);
    if (in->failed || (length ^ complement) != 0xFFFF || length > in->length - in->at ||
        length > in->size - in->filled) {
        fail(in);
        return;
    }
    memcpy(in->to + in->filled, in->bytes + in->at, length);
    in->filled += length;
    in->at += length;
}

bool instr_inflate(const uint8_t *bytes, size_t length, uint8_t *to, size_t size) {
    struct inflater in = {.bytes = bytes, .length = length, .to = to, .size = size};
    bool last = false;
    while (!last && !in.failed) {
        last = take_bits(&in, 1);
        switch (take_bits(&in, 2)) {
        case 0: inflate_stored(&in); break;
        case 1: inflate_fixed(&in); break;
        case 2: inflate_dynamic(&in); break;
        default: fail(&in);
        }
    }
    end_at_byte(&in);
    return !in.failed && in.filled == size && in.at == length;
}

uint32_t instr_crc32(const uint8_t *bytes, size_t length) {
    static const uint32_t table[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                       0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                       0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
