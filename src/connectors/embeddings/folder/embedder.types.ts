import type { ModelFolder } from './model-folder';

export interface ToEmbedder {
  readonly id: number;
  readonly texts: readonly string[];
}

export type FromEmbedder =
  { readonly id: number; readonly vectors: number[][] } | { readonly id: number; readonly error: string };

/** What the thread is started with. */
export type EmbedderData = ModelFolder;
