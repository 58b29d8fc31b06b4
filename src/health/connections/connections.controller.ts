import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, CurrentCaller, clientAbortSignal } from '../../infrastructure/http';
import {
  ConnectionListDto,
  ConnectionTestDto,
  KnowledgeBaseServerTestDto,
  McpServerTestDto,
  MoodleTestDto,
  ProviderTestDto,
  RerankerTestDto,
  TranslatorTestDto,
} from './connections.dto';
import { ConnectionTests } from './connection-tests.service';

const ADMINISTRATORS = { scope: 'admin', role: 'organization_admin' } as const;
const DESCRIPTION =
  'Without a body the stored values are tested and the outcome is kept. A vendor that fails is an answer, not an error: `ok` is false.';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug')
export class ConnectionsController {
  constructor(private readonly tests: ConnectionTests) {}

  @Get('connections')
  @Access({ ...ADMINISTRATORS, summary: 'How the last test and the last call of each vendor and server ended' })
  async list(@CurrentCaller() caller: Caller, @Param('slug') slug: string): Promise<ConnectionListDto> {
    return { items: [...(await this.tests.states(caller, slug))] };
  }

  @Post('providers/:name/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test a provider and list its models', description: DESCRIPTION })
  provider(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Body() body: ProviderTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.provider(caller, slug, name, body, clientAbortSignal(response));
  }

  @Post('mcp/servers/:name/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test an MCP server and list its tools', description: DESCRIPTION })
  mcpServer(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('name') name: string,
    @Body() body: McpServerTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.mcpServer(caller, slug, name, { ...body }, clientAbortSignal(response));
  }

  @Post('moodle/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the connection to Moodle', description: DESCRIPTION })
  moodle(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: MoodleTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.moodle(caller, slug, { ...body }, clientAbortSignal(response));
  }

  @Post('reranker/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the reranker with two short texts', description: DESCRIPTION })
  reranker(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: RerankerTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.reranker(caller, slug, { ...body }, clientAbortSignal(response));
  }

  @Post('translator/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the translator with one sentence', description: DESCRIPTION })
  translator(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: TranslatorTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.translator(caller, slug, { ...body }, clientAbortSignal(response));
  }

  @Post('knowledge_base/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the external knowledge-base server', description: DESCRIPTION })
  knowledgeBase(
    @CurrentCaller() caller: Caller,
    @Param('slug') slug: string,
    @Body() body: KnowledgeBaseServerTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.knowledgeBase(caller, slug, { ...body }, clientAbortSignal(response));
  }
}
