import type { Caller } from '@bellwether/kernel';
import { Controller, Delete, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  Access,
  AcceptFiles,
  CurrentCaller,
  PageQueryDto,
  toPageRequest,
  type UploadedFile,
  Uploads,
  whileClientStays,
  ForPeople,
} from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { attachment } from './attachment';
import { FileDto, FilePageDto, FileTextDto, FileTextQueryDto, UploadedFilesDto } from './file.dto';
import { FilesService } from './files.service';

@ForPeople()
@Controller('api/v1/files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  @Post()
  @Access({ scope: 'write', role: 'teacher', summary: 'Upload files; a file of the same name is replaced' })
  @Idempotent()
  @AcceptFiles()
  async upload(
    @CurrentCaller() caller: Caller,
    @Uploads() uploads: readonly UploadedFile[],
  ): Promise<UploadedFilesDto> {
    return { items: await this.files.upload(caller, uploads) };
  }

  @Get()
  @Access({ scope: 'read', summary: 'List own files by name' })
  list(@CurrentCaller() caller: Caller, @Query() query: PageQueryDto): Promise<FilePageDto> {
    return this.files.list(caller, toPageRequest(query));
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'Describe a file' })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<FileDto> {
    return this.files.get(caller, id);
  }

  @Get(':id/content')
  @ApiOkResponse({ content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } })
  @Access({ scope: 'read', summary: 'Download a file' })
  async download(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { path, content_type, bytes } = await whileClientStays(response, (signal) =>
      this.files.download(caller, id, signal),
    );
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'private, no-store');
    return new StreamableFile(bytes, { type: content_type, disposition: attachment(path), length: bytes.length });
  }

  @Get(':id/text')
  @Access({ scope: 'read', summary: 'Beginning of the text that assistants get from a file' })
  async text(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() { max_chars }: FileTextQueryDto,
  ): Promise<FileTextDto> {
    const { totalChars, warnings = [], ...text } = await this.files.textById(caller, id, max_chars);
    return { ...text, total_chars: totalChars, warnings: [...warnings] };
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a file' })
  remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    return this.files.remove(caller, id);
  }
}
