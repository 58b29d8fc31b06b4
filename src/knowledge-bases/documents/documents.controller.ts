import type { Caller } from '@bellwether/kernel';
import { Controller, Delete, Get, HttpCode, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { attachment } from '../../files';
import {
  Access,
  AcceptFiles,
  CurrentCaller,
  toPageRequest,
  type UploadedFile,
  Uploads,
  whileClientStays,
  ForPeople,
} from '../../infrastructure/http';
import { Idempotent } from '../../infrastructure/idempotency';
import { DocumentsService } from './documents.service';
import {
  DocumentDto,
  DocumentListQueryDto,
  DocumentPageDto,
  RetriedDocumentsDto,
  UploadedDocumentsDto,
} from './document.dto';

const MEBIBYTE = 1024 * 1024;
/** A file that is too large becomes a failed document; the others are stored. */
const UPLOAD = { fileBytes: 32 * MEBIBYTE, files: 10_000, totalBytes: 100 * MEBIBYTE, admitLarger: true };

@ForPeople()
@Controller('api/v1/knowledge-bases/:knowledgeBaseId/documents')
export class DocumentsController {
  constructor(private readonly documents: DocumentsService) {}

  @Post()
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Upload documents',
    description:
      'Each document has its own status and error. The same name with the same bytes changes nothing; with other bytes it replaces the document. At most 10,000 files and 100 MiB in one request; the answer waits for the processing of up to 50 documents.',
  })
  @Idempotent()
  @AcceptFiles(UPLOAD)
  async upload(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Uploads() uploads: readonly UploadedFile[],
  ): Promise<UploadedDocumentsDto> {
    return { items: await this.documents.upload(caller, knowledgeBaseId, uploads) };
  }

  @Get()
  @Access({ scope: 'read', summary: 'List documents, oldest first' })
  list(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Query() query: DocumentListQueryDto,
  ): Promise<DocumentPageDto> {
    return this.documents.list(caller, knowledgeBaseId, toPageRequest(query), query.status ?? null);
  }

  @Get(':id')
  @Access({ scope: 'read', summary: 'Describe a document' })
  get(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<DocumentDto> {
    return this.documents.get(caller, knowledgeBaseId, id);
  }

  @Get(':id/content')
  @ApiOkResponse({ content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } })
  @Access({
    scope: 'read',
    summary: 'Download a document as it was uploaded',
    description: 'While a replacement waits or after it failed, this is the file that the current passages come from.',
  })
  async download(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { filename, contentType, bytes } = await whileClientStays(response, (signal) =>
      this.documents.download(caller, knowledgeBaseId, id, signal),
    );
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'private, no-store');
    return new StreamableFile(bytes, { type: contentType, disposition: attachment(filename), length: bytes.length });
  }

  @Post(':id/retry')
  @Idempotent()
  @HttpCode(200)
  @Access({ scope: 'write', role: 'teacher', summary: 'Process a failed document again' })
  retry(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<DocumentDto> {
    return this.documents.retry(caller, knowledgeBaseId, id);
  }

  @Post('retry')
  @Idempotent()
  @HttpCode(200)
  @Access({ scope: 'write', role: 'teacher', summary: 'Process every failed document again' })
  async retryFailed(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
  ): Promise<RetriedDocumentsDto> {
    return { retried: await this.documents.retryFailed(caller, knowledgeBaseId) };
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Access({
    scope: 'write',
    role: 'teacher',
    summary: 'Cancel the processing of a document',
    description:
      'It ends as failed with the code `document.cancelled`. Its current passages keep answering. A retry processes it again.',
  })
  cancel(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<DocumentDto> {
    return this.documents.cancel(caller, knowledgeBaseId, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', role: 'teacher', summary: 'Delete a document and its chunks' })
  remove(
    @CurrentCaller() caller: Caller,
    @Param('knowledgeBaseId') knowledgeBaseId: string,
    @Param('id') id: string,
  ): Promise<void> {
    return this.documents.remove(caller, knowledgeBaseId, id);
  }
}
