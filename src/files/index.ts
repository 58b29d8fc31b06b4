export { attachment, shownOrAttached } from './attachment';
export type { FileContent, FileText, StoredFile } from './file.types';
export { FilesModule } from './files.module';
export { FilesService } from './files.service';
export { FileOwnership } from './file-ownership.service';
export { ImagesService, type SavedImage, imagesMarkdown } from './images.service';
export { FileImport, type ImportedFile, type StoredBytes } from './file-import';
export { LinkCheck } from './link-check';
export { LINKED_ASSISTANTS, type LinkedAssistants } from './linked-assistants.token';
export { BlobInventory } from './blob-inventory';
export {
  type BlobCursor,
  type BlobHolder,
  BlobHolders,
  BlobMove,
  type BlobTotals,
  type HeldBlob,
  type MoveReport,
} from './blob-move';
export { type BlobSpace, STORAGES, type StorageName, S3_MARK } from './places/blob-storage.types';
export { BucketCheck, S3Connection } from './places/s3-connection';
export { BlobStore, readCurrent } from './storage/blob-store';
export { cutText, decodeText, sniffType } from './storage/text';
export { BlobSweep } from './blob-sweep';
