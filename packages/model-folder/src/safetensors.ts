import { openSync, readSync, closeSync } from 'node:fs';

const HEADER_LENGTH_BYTES = 8;
const MOST_HEADER_BYTES = 16 * 1024 * 1024;

export interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** First byte in the file, and the one behind the last. */
  readonly begin: number;
  readonly end: number;
}

interface HeaderEntry {
  readonly dtype?: unknown;
  readonly shape?: unknown;
  readonly data_offsets?: unknown;
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && (each as number) >= 0);

/**
 * Tensors of a file by name, without their values. Format: github.com/huggingface/safetensors, "Format": 8 bytes length of
 * the header (little endian), the header as JSON, the values.
 * @throws {Error} for another format
 */
export function tensorsOf(file: string, size: number): ReadonlyMap<string, Tensor> {
  const length = Number(bytesOf(file, 0, HEADER_LENGTH_BYTES).readBigUInt64LE());
  const start = HEADER_LENGTH_BYTES + length;
  if (length > MOST_HEADER_BYTES || start > size) throw new Error('its header is longer than the file');
  const header = JSON.parse(bytesOf(file, HEADER_LENGTH_BYTES, length).toString('utf8')) as Record<string, HeaderEntry>;
  const tensors = new Map<string, Tensor>();
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (typeof dtype !== 'string' || !isNumbers(shape) || !isNumbers(offsets)) throw new Error(`${name} is no tensor`);
    const [begin = 0, end = 0] = offsets;
    if (begin > end || start + end > size) throw new Error(`${name} lies outside of the file`);
    tensors.set(name, { dtype, shape, begin: start + begin, end: start + end });
  }
  return tensors;
}

export function bytesOf(file: string, begin: number, length: number): Buffer {
  // A buffer of its own, whose start fits every number type.
  const bytes = Buffer.from(new ArrayBuffer(length));
  const opened = openSync(file, 'r');
  try {
    for (let at = 0; at < length;) {
      const read = readSync(opened, bytes, at, Math.min(length - at, 1 << 30), begin + at);
      if (read === 0) throw new Error('the file is shorter than its header says');
      at += read;
    }
    return bytes;
  } finally {
    closeSync(opened);
  }
}

/** Values as 32-bit floats; weights of `F16` and `BF16` are widened. @throws {Error} for other types */
export function floatsOf(file: string, { dtype, begin, end }: Tensor): Float32Array {
  const bytes = bytesOf(file, begin, end - begin);
  const { buffer } = bytes;
  if (dtype === 'F32') return new Float32Array(buffer);
  if (dtype === 'F64') return Float32Array.from(new Float64Array(buffer));
  if (dtype === 'F16') return Float32Array.from(new Uint16Array(buffer), half);
  if (dtype === 'BF16')
    return new Float32Array(Uint32Array.from(new Uint16Array(buffer), (value) => value << 16).buffer);
  throw new Error(`values of the type ${dtype}; F16, BF16, F32 and F64 can be read`);
}

/** @throws {Error} for other types than I32 and I64 */
export function integersOf(file: string, { dtype, begin, end }: Tensor): Int32Array {
  const { buffer } = bytesOf(file, begin, end - begin);
  if (dtype === 'I32') return new Int32Array(buffer);
  if (dtype === 'I64') return Int32Array.from(new BigInt64Array(buffer), Number);
  throw new Error(`indexes of the type ${dtype}; I32 and I64 can be read`);
}

/** IEEE 754 binary16. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
