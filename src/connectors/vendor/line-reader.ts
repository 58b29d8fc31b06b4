import { StringDecoder } from 'node:string_decoder';

const MAX_LINE = 4_000_000;

/** Newline-delimited JSON from raw bytes. */
export class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private pending = '';

  /** @throws RangeError when a line does not end */
  read(bytes: Buffer): { readonly data: string }[] {
    const lines = (this.pending + this.decoder.write(bytes)).split('\n');
    this.pending = lines.pop() ?? '';
    if (this.pending.length > MAX_LINE) throw new RangeError('The line does not end');
    return filled(lines);
  }

  /** The unfinished line at the end. */
  end(): { readonly data: string }[] {
    return filled([this.pending + this.decoder.end()]);
  }
}

const filled = (lines: readonly string[]) => lines.filter((line) => line.trim() !== '').map((data) => ({ data }));
