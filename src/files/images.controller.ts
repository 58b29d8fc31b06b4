import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiDefaultResponse, ApiExtraModels, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { PROBLEM, ProblemDto, Public } from '../infrastructure/http';
import { attachment } from './attachment';
import { ImagesService } from './images.service';

/** Chat clients on other origins embed the images. A browser must neither run them nor guess another type. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'private, max-age=86400, immutable',
  'X-Robots-Tag': 'noindex',
};

const inline = (path: string): string => attachment(path).replace(/^attachment/, 'inline');

@ApiTags('Files')
@Controller('api/v1/images')
export class ImagesController {
  constructor(private readonly images: ImagesService) {}

  @Get()
  @Public('Show the generated image that a link in an answer leads to')
  @ApiQuery({ name: 'link', description: 'Signed, expiring, bound to one file and its content' })
  @ApiOkResponse({ content: { 'image/*': { schema: { type: 'string', format: 'binary' } } } })
  @ApiExtraModels(ProblemDto)
  @ApiDefaultResponse({ content: PROBLEM, description: 'No such link, an expired one, or any other problem' })
  async open(@Query('link') link: unknown, @Res() response: Response): Promise<void> {
    const { path, content_type: type, bytes } = await this.images.open(link);
    response
      .set(HEADERS)
      .set({ 'Content-Type': type, 'Content-Disposition': inline(path) })
      .send(bytes);
  }
}
