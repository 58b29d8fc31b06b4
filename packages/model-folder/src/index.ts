export { FolderEmbeddings } from './folder-embeddings';
export { openModelFolder } from './model-folder';
