import { Module } from '@nestjs/common';
import { ExtractionModule } from '../extraction';
import { OrganizationsModule } from '../organizations';
import { BlobStore } from './storage/blob-store';
import { FileImport } from './imports/file-import';
import { FileRepository } from './storage/file.repository';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { LinkCheck } from './links/link-check';
import { ImagesController } from './images.controller';
import { ImagesService } from './images.service';
import { BlobFolders } from './sweep/blob-folders';
import { BlobSweep } from './sweep/blob-sweep';
import { FileTextRepository } from './texts/file-text.repository';
import { FileTexts } from './texts/file-texts.service';

@Module({
  imports: [ExtractionModule, OrganizationsModule],
  controllers: [FilesController, ImagesController],
  providers: [
    BlobFolders,
    BlobStore,
    BlobSweep,
    FileRepository,
    FilesService,
    LinkCheck,
    ImagesService,
    FileImport,
    FileTextRepository,
    FileTexts,
  ],
  exports: [LinkCheck, BlobStore, BlobSweep, FileImport, FilesService, ImagesService],
})
export class FilesModule {}
