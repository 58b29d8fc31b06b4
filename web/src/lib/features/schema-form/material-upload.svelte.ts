import { api, must, type Schema } from '$lib/kit/api/client';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import { DOCUMENT_FILES, Uploads } from '$lib/kit/uploads/uploads.svelte';

type KnowledgeDocument = Schema<'DocumentDto'>;
type StoredFile = Schema<'FileDto'>;

const MEBIBYTE = 1024 * 1024;
const PAUSE = 1_000;
const MOST_DOCUMENTS = 100;

const isUnderWay = ({ status }: KnowledgeDocument): boolean => status === 'pending' || status === 'processing';

/** Documents that go into one knowledge base, followed until they can be searched. */
export class KnowledgeUpload {
  /** Null before the first file: until then its place can still be chosen. */
  knowledgeBaseId = $state<string | null>(null);
  documents = $state.raw<readonly KnowledgeDocument[]>([]);
  error = $state.raw<unknown>(null);
  readonly read = $derived.by(() => this.documents.filter(({ status }) => status === 'completed'));
  readonly refused = $derived.by(() => this.documents.filter(({ status }) => status === 'failed'));
  readonly uploads: Uploads<{ items: readonly KnowledgeDocument[] }>;
  private opening: Promise<string> | null = null;
  private closed = false;
  private following = false;

  constructor(
    /** Id of the knowledge base; makes it where it is a new one. Called with the first file. */
    private readonly open: () => Promise<string>,
    /** The first document can be searched. */
    private readonly onready: (knowledgeBaseId: string) => void,
  ) {
    this.uploads = new Uploads(
      async () => `/api/v1/knowledge-bases/${await this.target()}/documents`,
      { accept: DOCUMENT_FILES, fileBytes: 32 * MEBIBYTE, files: 100, bytes: 32 * MEBIBYTE },
      ({ items }) => this.arrived(items),
    );
  }

  /** Uploads under way stop; documents that arrived are read all the same. */
  close(): void {
    this.closed = true;
    this.uploads.cancel();
  }

  /** A failed attempt is repeated with the next one of the upload. */
  private target(): Promise<string> {
    this.opening ??= this.open().then(
      (id) => (this.knowledgeBaseId = id),
      (error: unknown) => {
        this.opening = null;
        throw error;
      },
    );
    return this.opening;
  }

  private arrived(items: readonly KnowledgeDocument[]): void {
    const ids = items.map(({ id }) => id);
    this.show([...this.documents.filter(({ id }) => !ids.includes(id)), ...items]);
    void this.follow();
  }

  private async follow(): Promise<void> {
    if (this.following) return;
    this.following = true;
    try {
      while (!this.closed && this.documents.some(isUnderWay)) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        await this.look();
      }
      this.error = null;
    } catch (error) {
      this.error = error;
    } finally {
      this.following = false;
    }
  }

  private async look(): Promise<void> {
    const params = { path: { knowledgeBaseId: await this.target() }, query: { limit: MOST_DOCUMENTS } };
    const { items } = must(await api.GET('/api/v1/knowledge-bases/{knowledgeBaseId}/documents', { params }));
    this.show(this.documents.map((document) => items.find(({ id }) => id === document.id) ?? document));
  }

  /** A small document may have been read by the time its upload is answered. */
  private show(documents: readonly KnowledgeDocument[]): void {
    const before = this.read.length;
    this.documents = documents;
    if (before > 0 || this.read.length === 0) return;
    forgetCatalogues();
    void this.target().then(this.onready);
  }
}

/** Files of the reader's own; `onready` gets the path of the last one that arrived. */
export const fileUploads = (onready: (path: string) => void): Uploads<{ items: readonly StoredFile[] }> =>
  new Uploads(
    () => '/api/v1/files',
    { accept: DOCUMENT_FILES, fileBytes: 10 * MEBIBYTE, files: 50, bytes: 20 * MEBIBYTE },
    ({ items }) => {
      forgetCatalogues();
      const last = items.at(-1);
      if (last !== undefined) onready(last.path);
    },
  );

/** @throws {ProblemError} when the service refuses the name. */
export async function newKnowledgeBase(name: string): Promise<string> {
  const { id } = must(await api.POST('/api/v1/knowledge-bases', { body: { name } }));
  forgetCatalogues();
  return id;
}
