import { Module } from '@nestjs/common';
import { ExtractionModule } from '../extraction';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { RowCacheModule } from '../infrastructure/row-cache';
import { CONFIG, type Config } from '../infrastructure/config';
import { BlobStore } from './storage/blob-store';
import { FileHandover } from './handover/file-handover.service';
import { FileImport } from './imports/file-import';
import { FileRepository } from './storage/file.repository';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { LinkCheck } from './links/link-check';
import { ImagesController } from './images.controller';
import { ImagesService } from './images.service';
import { BlobHolders } from './move/blob-holders';
import { BlobInventory } from './move/blob-inventory';
import { BlobMove } from './move/blob-move';
import { FileHolderRepository } from './move/file-holder.repository';
import { BlobFolders } from './places/blob-folders';
import type { BlobPlace } from './places/blob-place.types';
import { BLOB_PLACES } from './places/blob-places.token';
import { DiskPlace } from './places/disk-place';
import { BucketCheck } from './places/s3/bucket-check';
import { S3Connection } from './places/s3/s3-connection';
import { S3Place } from './places/s3/s3-place';
import { BlobSweep } from './sweep/blob-sweep';
import { FileTextRepository } from './texts/file-text.repository';
import { FileTexts } from './texts/file-texts.service';

@Module({
  imports: [ExtractionModule, MeteringModule, OrganizationsModule, RowCacheModule],
  controllers: [FilesController, ImagesController],
  providers: [
    BlobFolders,
    DiskPlace,
    S3Connection,
    BucketCheck,
    S3Place,
    {
      provide: BLOB_PLACES,
      inject: [CONFIG, DiskPlace, S3Place],
      useFactory: ({ files }: Config, disk: DiskPlace, s3: S3Place): readonly BlobPlace[] =>
        files.s3.bucket === null ? [disk] : [disk, s3],
    },
    BlobStore,
    BlobSweep,
    BlobHolders,
    FileHolderRepository,
    BlobMove,
    BlobInventory,
    FileHandover,
    FileRepository,
    FilesService,
    LinkCheck,
    ImagesService,
    FileImport,
    FileTextRepository,
    FileTexts,
  ],
  exports: [
    BlobHolders,
    BlobMove,
    BlobInventory,
    LinkCheck,
    BlobStore,
    BucketCheck,
    BlobSweep,
    FileHandover,
    FileImport,
    FilesService,
    ImagesService,
  ],
})
export class FilesModule {}
