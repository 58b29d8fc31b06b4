import { Module } from '@nestjs/common';
import { BlobStore } from './blob-store';
import { FileRepository } from './file.repository';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';

@Module({
  controllers: [FilesController],
  providers: [BlobStore, FileRepository, FilesService],
  exports: [BlobStore, FilesService],
})
export class FilesModule {}
