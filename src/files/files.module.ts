import { Extractor } from '@bellwether/extraction';
import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { RowCacheModule } from '../infrastructure/cache';
import { CONFIG, type Config } from '../infrastructure/config';
import { MeteringModule } from '../metering';
import { OrganizationsModule } from '../organizations';
import { BlobHolders, BlobMove } from './blob-move';
import { BlobInventory, BlobSweep } from './blob-sweep';
import { FileHolderRepository } from './file-holder.repository';
import { FileImport } from './file-import';
import { FileOwnership } from './file-ownership.service';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { ImagesController } from './images.controller';
import { ImagesService, LinkCheck } from './images.service';
import { BlobFolders } from './places/blob-folders';
import { BLOB_STORAGES, type BlobStorage } from './places/blob-storage.types';
import { DiskStorage } from './places/disk-storage';
import { BucketCheck, S3Connection } from './places/s3-connection';
import { S3Storage } from './places/s3-storage';
import { BlobStore } from './storage/blob-store';
import { FileRepository } from './storage/file.repository';
import { FileTextRepository } from './file-text.repository';
import { FileTexts } from './file-texts.service';

@Module({
  providers: [
    { provide: Extractor, inject: [CONFIG], useFactory: ({ extraction }: Config) => new Extractor(extraction) },
  ],
  exports: [Extractor],
})
class ExtractionModule implements OnApplicationShutdown {
  constructor(private readonly extractor: Extractor) {}

  onApplicationShutdown(): void {
    this.extractor.close();
  }
}

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
