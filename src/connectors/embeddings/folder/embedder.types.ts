import type { ModelFolder } from './model-folder';

export interface ToEmbedder {
  readonly id: number;
  readonly texts: readonly string[];
}

export type FromEmbedder =
  { readonly id: number; readonly vectors: number[][] } | { readonly id: number; readonly error: string };

/** The data that the thread starts with. */
export type EmbedderData = ModelFolder;
