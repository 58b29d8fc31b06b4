import { Injectable, Logger } from '@nestjs/common';
import { VectorGraphs } from './vector-graphs';
import type { AnnIndex, VectorScope } from './vector-query';
import { VectorStoreRepository } from './vector-store.repository';

const NOT_MIGRATED = 'the database has not been migrated yet';
const NOT_INSTALLED = 'the database server has no pgvector; knowledge bases are searched by words only';
const NOT_ALLOWED =
  'the database server has pgvector, but this role may not install it (CREATE EXTENSION vector); knowledge bases are searched by words only';
const NOT_VISIBLE =
  'pgvector is installed in a schema outside the search path; knowledge bases are searched by words only';

/** Whether this database can store vectors. Decided at start: an extension that is added later needs a restart. */
@Injectable()
export class VectorStore {
  private readonly log = new Logger(VectorStore.name);
  private lack: string | null = 'vector support has not been checked yet';
  private version: string | null = null;

  constructor(
    private readonly repository: VectorStoreRepository,
    private readonly graphs: VectorGraphs,
  ) {}

  /** Checks before anything can inject the store: jobs must not take "not checked" for "not available". */
  static async prepared(repository: VectorStoreRepository, graphs: VectorGraphs): Promise<VectorStore> {
    const store = new VectorStore(repository, graphs);
    await store.prepare();
    return store;
  }

  /** Why vectors cannot be stored and searched, in words for people; null when they can. */
  get unavailable(): string | null {
    return this.lack;
  }

  get available(): boolean {
    return this.lack === null;
  }

  /** Creates extension and table if needed. Safe to repeat, and with several replicas at once. */
  async prepare(): Promise<void> {
    this.lack = await this.find();
    if (this.lack !== null) {
      this.log.warn({ msg: 'no vector search', reason: this.lack });
      return;
    }
    await this.repository.createTable();
    await this.graphs.refresh();
  }

  get usesGraphs(): boolean {
    return this.version !== null && this.graphs.isWorthwhile(this.version);
  }

  /** Graphs that a search of these indexes can use. */
  graphsOf(scopes: readonly VectorScope[]): readonly AnnIndex[] {
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
        this.log.warn({ msg: 'the extension "vector" could not be created', err: error });
        return NOT_ALLOWED;
      }
      state = await this.repository.extension();
    }
    this.version = state.installed;
    return state.visible ? null : NOT_VISIBLE;
  }
}
