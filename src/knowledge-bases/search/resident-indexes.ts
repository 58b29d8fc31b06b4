import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RowCache, TableChanges } from '../../infrastructure/cache';
import type { Hit } from './chunk.types';
import type { KeywordParameters } from './hybrid-query';
import { QuestionStems } from './question-stems';
import { rankResident } from './rank-resident';
import type { ResidentIndex } from './resident-index';
import { ResidentRepository, type ResidentState } from './resident.repository';

/** A larger knowledge base is searched by the database. */
const MOST_CHUNKS = 4_000;
/** Bytes of all indexes together, as estimated by `sizeOf`. */
const MOST_BYTES = 96 * 1024 * 1024;
/** An index that was not searched for this long may be evicted. */
const IDLE_MS = 10 * 60_000;
const MOST_STATES = 5_000;
/** Tables that decide the contents of an index. */
const TABLES = ['knowledge_bases', 'kb_documents', 'kb_chunks'];

interface Held {
  readonly version: string;
  /** Null after the first search, and while the index is being read. */
  readonly index: ResidentIndex | null;
  /** The index did not fit into memory. The next try is at another version, or after `IDLE_MS` without a search. */
  readonly isRefused?: boolean;
}

/**
 * Keyword indexes of small knowledge bases in memory (ADR-0007).
 *
 * An index is read in the background when a knowledge base is searched twice without a change in between. Until then, and
 * after a change, the database searches. So a knowledge base is never read in the middle of an upload. An index in use is not
 * evicted for another one: the two would evict each other again and again.
 */
@Injectable()
export class ResidentIndexes {
  private readonly logger = new Logger(ResidentIndexes.name);
  private readonly states: RowCache<ResidentState | null>;
  private readonly held = new LRUCache<string, Held>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ index }) => sizeOf(index),
    ttl: IDLE_MS,
    updateAgeOnGet: true,
  });
  /** Indexes are read one at a time: on the embedded engine, searches wait for each statement of a read. */
  private reading: Promise<void> | null = null;
  private readonly stems: QuestionStems;
  /** Text-search configurations in which the words of an index are known. */
  private readonly learned = new WeakMap<ResidentIndex, Set<string>>();
  private learning: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: ResidentRepository,
    @Inject(TableChanges) changes: Pick<TableChanges, 'on'>,
  ) {
    this.stems = new QuestionStems((...asked) => repository.words(...asked));
    this.states = new RowCache(changes, { tables: TABLES, max: MOST_STATES });
  }

  /** Hits as `BM25_QUERY` gives them, or null when one of the knowledge bases is not in memory. */
  async search([ids, numbers, organizationId, configurations, depth, , wordings, spoken]: KeywordParameters): Promise<
    Hit[] | null
  > {
    const indexes = new Map<string, ResidentIndex>();
    for (const id of new Set(ids)) {
      const index = await this.indexOf(organizationId, id);
      if (index !== null) indexes.set(id, index);
    }
    const scopes = ids.flatMap((id, at) => {
      const index = indexes.get(id);
      return index === undefined ? [] : [{ index, number: numbers[at] ?? 1 }];
    });
    if (scopes.length < ids.length) return null;
    for (const { index, number } of scopes) this.learn(index, configurations[number - 1] ?? '');
    return rankResident(scopes, await this.stems.words(configurations, wordings, spoken), depth);
  }

  /** Their words stay the same while this stays equal, in memory or not. */
  async versionOf(organizationId: string, ids: readonly string[]): Promise<string> {
    const states = await Promise.all(ids.map(async (id) => this.stateOf(organizationId, id)));
    return states.map((state) => state?.version ?? '').join('|');
  }

  /** Ends when no index is being read, and no words are being learned. */
  async settled(): Promise<void> {
    await this.reading;
    await this.learning;
  }

  /** Questions mostly have words of the material: they are asked for together, in the background. */
  private learn(index: ResidentIndex, configuration: string): void {
    const learned = this.learned.get(index) ?? new Set();
    if (learned.has(configuration)) return;
    this.learned.set(index, learned.add(configuration));
    const texts = index.chunks.map(({ section, text }) => `${section} ${text}`);
    this.learning = this.learning
      .then(() => this.stems.learn(configuration, texts))
      .catch((error: unknown) =>
        this.logger.warn({ msg: 'words of a knowledge base could not be stemmed', err: error }),
      );
  }

  private async indexOf(organizationId: string, id: string): Promise<ResidentIndex | null> {
    const state = await this.stateOf(organizationId, id);
    if (state === null || state.chunkCount > MOST_CHUNKS) return null;
    const held = this.held.get(id);
    if (held?.version !== state.version) {
      this.held.set(id, { version: state.version, index: null });
      return null;
    }
    if (held.index === null && held.isRefused !== true) this.read(organizationId, state);
    return held.index;
  }

  private stateOf(organizationId: string, id: string): Promise<ResidentState | null> {
    return this.states.get(organizationId, id, async () => {
      const [state] = await this.repository.states(organizationId, [id]);
      return state ?? null;
    });
  }

  private read(organizationId: string, state: ResidentState): void {
    this.reading ??= this.readNow(organizationId, state)
      .catch((error: unknown) => {
        this.held.delete(state.id);
        this.logger.warn({
          msg: 'a keyword index could not be read into memory',
          organization_id: organizationId,
          err: error,
        });
      })
      .finally(() => {
        this.reading = null;
      });
  }

  private async readNow(organizationId: string, state: ResidentState): Promise<void> {
    const index = await this.repository.read(organizationId, state);
    const [after] = await this.repository.states(organizationId, [state.id]);
    if (after?.version !== state.version) return;
    const { version } = state;
    this.held.purgeStale();
    const hasSpace = this.held.calculatedSize + sizeOf(index) <= MOST_BYTES;
    this.held.set(state.id, hasSpace ? { version, index } : { version, index: null, isRefused: true });
  }
}

/** Bytes of a chunk without its text, and of a posting. */
const PER_CHUNK = 1_000;
const PER_POSTING = 16;

function sizeOf(index: ResidentIndex | null): number {
  if (index === null) return PER_CHUNK;
  return index.chunks.reduce(
    (sum, { text }) => sum + PER_CHUNK + 2 * text.length,
    PER_CHUNK + PER_POSTING * index.size,
  );
}
