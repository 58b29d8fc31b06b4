import { Module } from '@nestjs/common';
import { BlobStore } from './blob-store';
import { FileArrivals } from './file-arrivals';
import { FileArrivalsRepository } from './file-arrivals.repository';
import { FileRepository } from './file.repository';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { ImagesController } from './images.controller';
import { ImagesService } from './images.service';

@Module({
  controllers: [FilesController, ImagesController],
  providers: [BlobStore, FileRepository, FilesService, ImagesService, FileArrivalsRepository, FileArrivals],
  exports: [BlobStore, FileArrivals, FilesService, ImagesService],
})
export class FilesModule {}
