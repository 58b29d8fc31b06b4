export { attachment, shownOrAttached } from './attachment';
export {
  type BlobCursor,
  type BlobHolder,
  BlobHolders,
  BlobMove,
  type BlobTotals,
  type HeldBlob,
  type MoveReport,
} from './blob-move';
export { BlobInventory, BlobSweep } from './blob-sweep';
export { FileImport, type ImportedFile, type StoredBytes } from './file-import';
export { FileOwnership } from './file-ownership.service';
export { FilesModule } from './files.module';
export { type FileContent, type FileText, FilesService, type StoredFile } from './files.service';
export { ImagesService, LinkCheck, type SavedImage, imagesMarkdown } from './images.service';
export { LINKED_ASSISTANTS, type LinkedAssistants } from './linked-assistants.token';
export { type BlobSpace, S3_MARK, STORAGES, type StorageName } from './places/blob-storage.types';
export { BucketCheck, S3Connection } from './places/s3-connection';
export { BlobStore, readCurrent } from './storage/blob-store';
export { cutText, decodeText, sniffType } from './storage/text';
