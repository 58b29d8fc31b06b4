import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../infrastructure/http';
import { WebService } from './web.service';

/** Every other address. Its module comes last, since routes match in order. */
@ApiExcludeController()
@Controller()
export class WebController {
  constructor(private readonly web: WebService) {}

  @Get('{*path}')
  @Public('The web UI')
  async open(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.web.answer(request, response);
  }
}
