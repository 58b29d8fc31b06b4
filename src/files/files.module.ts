import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { RowCacheModule } from '../infrastructure/cache';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { ExtractionModule } from './extraction.module';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { FileOwnership } from './file-ownership.service';
import { ImagesController } from './images.controller';
import { ImagesService } from './images.service';
import { FileImport } from './file-import';
import { LinkCheck } from './image-link-token';
import { BlobInventory } from './blob-inventory';
import { BlobHolders, BlobMove } from './blob-move';
import { FileHolderRepository } from './file-holder.repository';
import { BlobFolders } from './places/blob-folders';
import { BLOB_STORAGES, type BlobStorage } from './places/blob-storage.types';
import { DiskStorage } from './places/disk-storage';
import { BucketCheck, S3Connection } from './places/s3-connection';
import { S3Storage } from './places/s3-storage';
import { BlobStore } from './storage/blob-store';
import { FileRepository } from './storage/file.repository';
import { BlobSweep } from './blob-sweep';
import { FileTextRepository } from './texts/file-text.repository';
import { FileTexts } from './texts/file-texts.service';

@Module({
  imports: [ExtractionModule, MeteringModule, OrganizationsModule, RowCacheModule],
  controllers: [FilesController, ImagesController],
  providers: [
    BlobFolders,
    DiskStorage,
    S3Connection,
    BucketCheck,
    S3Storage,
    {
      provide: BLOB_STORAGES,
      inject: [CONFIG, DiskStorage, S3Storage],
      useFactory: ({ files }: Config, disk: DiskStorage, s3: S3Storage): readonly BlobStorage[] =>
        files.s3.bucket === null ? [disk] : [disk, s3],
    },
    BlobStore,
    BlobSweep,
    BlobHolders,
    FileHolderRepository,
    BlobMove,
    BlobInventory,
    FileOwnership,
    FileRepository,
    FilesService,
    LinkCheck,
    ImagesService,
    FileImport,
    FileTextRepository,
    FileTexts,
  ],
  exports: [
    ExtractionModule,
    BlobHolders,
    BlobMove,
    BlobInventory,
    LinkCheck,
    BlobStore,
    BucketCheck,
    BlobSweep,
    FileOwnership,
    FileImport,
    FilesService,
    ImagesService,
  ],
})
export class FilesModule {}
