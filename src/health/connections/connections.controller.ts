import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ADMINISTRATORS, Access, clientAbortSignal } from '../../infrastructure/http';
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
import { InOrganization, type OrganizationRequest } from '../../organizations';
import { ConnectionTests } from './connection-tests.service';

const DESCRIPTION =
  'Without a body the stored values are tested and the outcome is kept. A vendor that fails is an answer, not an error: `ok` is false.';

@ApiTags('Organizations')
@Controller('api/v1/organizations/:slug')
export class ConnectionsController {
  constructor(private readonly tests: ConnectionTests) {}

  @Get('connections')
  @Access({ ...ADMINISTRATORS, summary: 'How the last test and the last call of each vendor and server ended' })
  async list(@InOrganization() at: OrganizationRequest): Promise<ConnectionListDto> {
    return { items: [...(await this.tests.states(at))] };
  }

  @Post('providers/:name/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test a provider and list its models', description: DESCRIPTION })
  provider(
    @InOrganization() at: OrganizationRequest,
    @Param('name') name: string,
    @Body() body: ProviderTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.provider(at, name, body, clientAbortSignal(response));
  }

  @Post('mcp/servers/:name/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test an MCP server and list its tools', description: DESCRIPTION })
  mcpServer(
    @InOrganization() at: OrganizationRequest,
    @Param('name') name: string,
    @Body() body: McpServerTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.mcpServer(at, name, { ...body }, clientAbortSignal(response));
  }

  @Post('moodle/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the connection to Moodle', description: DESCRIPTION })
  moodle(
    @InOrganization() at: OrganizationRequest,
    @Body() body: MoodleTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.moodle(at, { ...body }, clientAbortSignal(response));
  }

  @Post('reranker/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the reranker with two short texts', description: DESCRIPTION })
  reranker(
    @InOrganization() at: OrganizationRequest,
    @Body() body: RerankerTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.reranker(at, { ...body }, clientAbortSignal(response));
  }

  @Post('translator/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the translator with one sentence', description: DESCRIPTION })
  translator(
    @InOrganization() at: OrganizationRequest,
    @Body() body: TranslatorTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.translator(at, { ...body }, clientAbortSignal(response));
  }

  @Post('knowledge_base/test')
  @HttpCode(200)
  @Access({ ...ADMINISTRATORS, summary: 'Test the external knowledge-base server', description: DESCRIPTION })
  knowledgeBase(
    @InOrganization() at: OrganizationRequest,
    @Body() body: KnowledgeBaseServerTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionTestDto> {
    return this.tests.knowledgeBase(at, { ...body }, clientAbortSignal(response));
  }
}
