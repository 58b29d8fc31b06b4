export { attachment } from './attachment';
export { type BlobSpace, BlobStore } from './blob-store';
export type { FileContent, FileText, StoredFile } from './file.types';
export { FileArrivals, type KeptFile, type StandingFile } from './file-arrivals';
export { FilesModule } from './files.module';
export { FilesService } from './files.service';
export { imagesMarkdown, ImagesService, type SavedImage } from './images.service';
export { cutText, decodeText, sniffType } from './text';
