import { api, must } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';
import { forgetCatalogues } from '$lib/app/catalogues/fetched';
import type { FileToSend } from '$lib/kit/uploads/send-files';
import { Uploads } from '$lib/kit/uploads/uploads.svelte';
import { listing, merged, type StoredFile } from './file-tree';

const MEBIBYTE = 1024 * 1024;

/** The reader's own files, in folders by their paths. */
export class Files {
  all = $state.raw<readonly StoredFile[]>([]);
  folder = $state('');
  text = $state('');
  loading = $state(true);
  error = $state.raw<unknown>(null);
  readonly shown = $derived.by(() => {
    const wanted = this.text.trim().toLowerCase();
    if (wanted === '') return listing(this.all, this.folder);
    return { folders: [], files: this.all.filter(({ path }) => path.toLowerCase().includes(wanted)) };
  });
  readonly uploads = new Uploads<{ items: readonly StoredFile[] }>(
    () => '/api/v1/files',
    { fileBytes: 10 * MEBIBYTE, files: 50, bytes: 20 * MEBIBYTE },
    ({ items }) => this.arrived(items),
    (file) => this.placed(file),
  );

  async load(): Promise<void> {
    this.loading = true;
    this.error = null;
    try {
      this.all = await allOf(async (query) => must(await api.GET('/api/v1/files', { params: { query } })), 10_000);
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }

  async remove(id: string): Promise<void> {
    await api.DELETE('/api/v1/files/{id}', { params: { path: { id } } });
    this.all = this.all.filter((file) => file.id !== id);
    forgetCatalogues();
  }

  /** Uploads go into the folder that is open. */
  private placed({ name, file }: FileToSend): FileToSend {
    return { name: this.folder === '' ? name : `${this.folder}/${name}`, file };
  }

  private arrived(items: readonly StoredFile[]): void {
    this.all = merged(this.all, items);
    forgetCatalogues();
  }
}
