import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, type BellwetherRequest, CurrentCaller, Public } from '../../../src/infrastructure/http';
import { languageOf, pickerPage, sendPage } from '../browser-pages';
import { ToolAddresses } from '../platforms/platforms.service';
import { ChosenContentDto, SelectionAnswerDto, SelectionDto } from './deep-linking.dto';
import { Selections } from './selections.service';

@ApiTags('LTI')
@Controller()
export class DeepLinkingController {
  constructor(
    private readonly selections: Selections,
    private readonly addresses: ToolAddresses,
  ) {}

  /** The page reads the request with the session of the instructor. It tells nothing by itself. */
  @Get('lti/select/:id')
  @Public('Page on which an instructor chooses assistants for a course')
  @ApiExcludeEndpoint()
  page(@Param('id') id: string, @Req() request: BellwetherRequest, @Res() response: Response): void {
    const language = languageOf(null, request.headers['accept-language']);
    sendPage(response, language, pickerPage(id, language));
  }

  @Get('api/v1/lti/deep-linking/:id')
  @Access({
    scope: 'chat',
    summary: 'A learning platform that waits for your choice of assistants',
    description: 'Only the instructor who opened the selection at the platform sees it, for an hour.',
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<SelectionDto> {
    return this.selections.get(caller, id);
  }

  @Post('api/v1/lti/deep-linking/:id')
  @HttpCode(200)
  @Access({
    scope: 'chat',
    summary: 'Choose assistants for a course',
    description: 'Works once. The browser then posts the signed answer to the learning platform.',
  })
  answer(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ChosenContentDto,
    @Req() request: BellwetherRequest,
  ): Promise<SelectionAnswerDto> {
    return this.selections.answer(caller, id, body, this.addresses.originOf(request));
  }
}
