import { Injectable, Logger } from '@nestjs/common';
import { VectorGraphs } from './vector-graphs';
import type { AnnIndex } from './vector-query';
import { type VectorSearch, VectorStoreRepository } from './vector-store.repository';

const NOT_MIGRATED = 'the database schema has not been made yet';
const NOT_INSTALLED = 'the database server has no pgvector; knowledge bases are searched by words only';
const NOT_ALLOWED =
  'the database server has pgvector, but this role may not install it (CREATE EXTENSION vector); knowledge bases are searched by words only';
const NOT_VISIBLE =
  'pgvector is installed in a schema outside the search path; knowledge bases are searched by words only';

/** Whether this database can hold vectors, decided at start; a server that gains the extension is used from the next start on. */
@Injectable()
export class VectorStore {
  private readonly log = new Logger(VectorStore.name);
  private lack: string | null = 'it has not been looked for yet';

  private version: string | null = null;

  constructor(
    private readonly repository: VectorStoreRepository,
    private readonly graphs: VectorGraphs,
  ) {}

  /** Looked for while the service is put together: jobs must never take "not looked for yet" for "not there". */
  static async over(repository: VectorStoreRepository, graphs: VectorGraphs): Promise<VectorStore> {
    const store = new VectorStore(repository, graphs);
    await store.prepare();
    return store;
  }

  /** Null when vectors can be stored and searched, otherwise why not, fit for people. */
  get unavailable(): string | null {
    return this.lack;
  }

  get available(): boolean {
    return this.lack === null;
  }

  /** Makes what is missing and may be made. Safe to repeat, and with several replicas at once. */
  async prepare(): Promise<void> {
    this.lack = await this.find();
    if (this.lack === null) {
      await this.repository.createTable();
      await this.graphs.refresh();
    }
    if (this.lack !== null) this.log.warn({ msg: 'no vector search', reason: this.lack });
  }

  /** Whether large indexes are searched by a graph here rather than by going through all of their vectors. */
  get usesGraphs(): boolean {
    return this.version !== null && this.graphs.isWorthwhile(this.version);
  }

  /** Graphs that a statement for these indexes can use. */
  graphsOf({ scopes }: Pick<VectorSearch, 'scopes'>): readonly AnnIndex[] {
    return this.graphs.of(scopes.map(({ index }) => index));
  }

  private async find(): Promise<string | null> {
    if (!(await this.repository.hasChunks())) return NOT_MIGRATED;
    let state = await this.repository.extension();
    if (state.installed === null) {
      if (!state.available) return NOT_INSTALLED;
      try {
        await this.repository.createExtension();
      } catch (error) {
        this.log.warn({ msg: 'the extension "vector" could not be made', err: error });
        return NOT_ALLOWED;
      }
      state = await this.repository.extension();
    }
    this.version = state.installed;
    return state.visible ? null : NOT_VISIBLE;
  }
}
