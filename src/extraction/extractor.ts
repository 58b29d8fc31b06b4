import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { ExtractionError } from './document/extraction.errors';
import type { ExtractedDocument, ExtractionInput, ExtractionLimits } from './document/extraction.types';
import { PARSER_FILE } from './processes/parser-file';
import { ParserPool } from './processes/parser-pool';

const IDLE_MS = 30_000;

/** Reads documents in child processes, so a hostile file can crash only its own process. */
@Injectable()
export class Extractor implements OnApplicationShutdown {
  private readonly limits: ExtractionLimits;
  private readonly pool: ParserPool;

  constructor(@Inject(CONFIG) { extraction }: Config) {
    const { processes, ...limits } = extraction;
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

  onApplicationShutdown(): void {
    this.pool.close();
  }
}
