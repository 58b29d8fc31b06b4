import { AppError } from '@bellwether/kernel';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import {
  ApiDefaultResponse,
  ApiExtraModels,
  ApiGoneResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { shownOrAttached } from '../../files';
import { type BellwetherRequest, ERROR_STATUS, PROBLEM, ProblemDto, Public } from '../../infrastructure/http';
import { SourceLinkReader } from './source-links';

/** Uploads are untrusted: they must not run in our origin, nor learn the referrer. PDF viewers work in the sandbox. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'private, no-store',
  'X-Robots-Tag': 'noindex',
};

const isExpected = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'not_found' || error.code === 'link_expired');

@ApiTags('Knowledge bases')
@Controller('api/v1/sources')
export class SourceLinksController {
  constructor(private readonly reader: SourceLinkReader) {}

  // Clients may append parameters to a link; they are ignored.
  @Get()
  @Public('Open the document that a source of an answer links to: PDF and texts are shown, all else is a download', {
    identifies: true,
  })
  @ApiQuery({
    name: 'link',
    description:
      'Signed link. It expires, except for the signed-in person it was made for. Access rights are checked at every use.',
  })
  @ApiOkResponse({ content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } })
  @ApiExtraModels(ProblemDto)
  @ApiNotFoundResponse({
    content: PROBLEM,
    description: 'The link is not valid, or its document is gone or not accessible',
  })
  @ApiGoneResponse({ content: PROBLEM, description: 'The link has expired' })
  @ApiDefaultResponse({ content: PROBLEM, description: 'Any other problem' })
  async open(
    @Query('link') link: unknown,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    response.set(HEADERS);
    try {
      const { filename, contentType, bytes } = await this.reader.open(link, request.caller ?? null);
      response.set(shownOrAttached(filename, contentType, bytes)).send(bytes);
    } catch (error) {
      if (!isExpected(error) || request.accepts(['json', 'html']) !== 'html') throw error;
      response.status(ERROR_STATUS[error.code]).type('text/plain; charset=utf-8').send(`${error.detail}\n`);
    }
  }
}
