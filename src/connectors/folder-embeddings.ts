import { FolderEmbeddings, openModelFolder } from '@bellwether/model-folder';
import { Logger } from '@nestjs/common';
import type { EmbeddingProvider } from './contract';

/** Loaded on demand, where the operator names a folder. @throws {Error} for one that does not fit, which ends the start */
export function folderEmbeddings(path: string): EmbeddingProvider {
  const folder = openModelFolder(path);
  const logger = new Logger('Embeddings');
  return new FolderEmbeddings(folder, (error) =>
    logger.error({ msg: 'the thread of the model folder broke', folder: folder.name, err: error }),
  );
}
