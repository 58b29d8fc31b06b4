import { Module } from '@nestjs/common';
import { ExtractionModule } from '../extraction';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { BlobStore } from './storage/blob-store';
import { FileHandover } from './handover/file-handover.service';
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
  imports: [ExtractionModule, MeteringModule, OrganizationsModule],
  controllers: [FilesController, ImagesController],
  providers: [
    BlobFolders,
    BlobStore,
    BlobSweep,
    FileHandover,
    FileRepository,
    FilesService,
    LinkCheck,
    ImagesService,
    FileImport,
    FileTextRepository,
    FileTexts,
  ],
  exports: [LinkCheck, BlobStore, BlobSweep, FileHandover, FileImport, FilesService, ImagesService],
})
export class FilesModule {}
