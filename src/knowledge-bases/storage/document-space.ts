import type { BlobSpace } from '../../files';

/** Folder of the original files of a knowledge base. */
export const knowledgeBaseSpace = (organizationId: string, knowledgeBaseId: string): BlobSpace => [
  'knowledge-bases',
  organizationId,
  knowledgeBaseId,
];
