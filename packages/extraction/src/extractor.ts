import { ExtractionError } from './document/extraction.errors';
import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from './document/extraction.types';
import { PARSER_FILE } from './processes/parser-file';
import { ParserPool } from './processes/parser-pool';

/** A process is started in a tenth of a second of CPU; an idle one takes 60 MB. */
const IDLE_MS = 2_000;

export interface ExtractorOptions extends ExtractionLimits {
  /** Documents that are read at the same time, each in a process of its own. */
  readonly processes: number;
}

/** Reads documents in child processes, so a hostile file can crash only its own process. */
export class Extractor {
  private readonly limits: ExtractionLimits;
  private readonly pool: ParserPool;

  constructor({ processes, ...limits }: ExtractorOptions) {
    this.limits = limits;
    this.pool = new ParserPool({ file: PARSER_FILE, processes, idleMs: IDLE_MS, limits });
  }

  get pids(): readonly number[] {
    return this.pool.pids;
  }

  /**
   * Structured text of a document. Waits for a free process. An abort kills the process.
   * @throws {ExtractionError} with a sentence for the owner; the signal's reason
   */
  async extract(
    input: ExtractionInput,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<ExtractedDocument> {
    const { maxBytes } = this.limits;
    if (input.bytes.length > maxBytes) {
      throw new ExtractionError('document.too_large', `The file is larger than ${maxBytes} bytes`);
    }
    return this.pool.parse(input, signal);
  }

  /** Ends the processes and refuses what waits. */
  close(): void {
    this.pool.close();
  }
}
