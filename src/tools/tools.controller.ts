import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../infrastructure/http';
import { ConfigValidityDto, ToolDto, ToolKindDto, ToolListDto, ToolQueryDto } from './tool.dto';
import { type PresentedTool, ToolsService } from './tools.service';

@ApiTags('Catalogues')
@Controller('api/v1/tools')
export class ToolsController {
  constructor(private readonly tools: ToolsService) {}

  @Get()
  @Access({ scope: 'read', summary: 'Tools that assistants can use, and functions that models may call' })
  @ApiOkResponse({ type: ToolListDto })
  async list(
    @CurrentCaller() { organizationId }: Caller,
    @Query() filter: ToolQueryDto,
  ): Promise<{ tools: readonly PresentedTool[]; count: number }> {
    await this.tools.countedIn(organizationId);
    const tools = this.tools.list(filter, organizationId);
    return { tools, count: tools.length };
  }

  @Get(':name')
  @Access({ scope: 'read', summary: 'One tool' })
  @ApiOkResponse({ type: ToolDto })
  async get(
    @CurrentCaller() { organizationId }: Caller,
    @Param('name') name: string,
    @Query() { kind }: ToolKindDto,
  ): Promise<PresentedTool> {
    await this.tools.countedIn(organizationId);
    return this.tools.get(name, kind, organizationId);
  }

  @Post(':name/validate')
  @HttpCode(200)
  @Access({ scope: 'read', summary: 'Check a config against the schema of a tool' })
  @ApiBody({ schema: { type: 'object', additionalProperties: true, example: { collections: ['biology'], top_k: 3 } } })
  validate(@Param('name') name: string, @Query() { kind }: ToolKindDto, @Body() config: unknown): ConfigValidityDto {
    const problems = this.tools.validate(name, config, kind);
    return { valid: problems.length === 0, errors: problems.map(({ path, message }) => ({ path, message })) };
  }
}
