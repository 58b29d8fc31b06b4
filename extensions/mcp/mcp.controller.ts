import { AppError, type Caller } from '@bellwether/kernel';
import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Access, type BellwetherRequest, CurrentCaller } from '../../src/infrastructure/http';
import { McpService } from './mcp.service';

/** The API of MCP clients (specification 2025-11-25, "Streamable HTTP"). Described by its protocol, not by OpenAPI. */
@ApiExcludeController()
@Controller(['mcp', 'lamb/v1/mcp'])
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Post()
  @Access({ scope: 'chat', summary: 'One JSON-RPC message of an MCP client' })
  async answer(
    @CurrentCaller() caller: Caller,
    @Req() request: BellwetherRequest,
    @Res() response: Response,
  ): Promise<void> {
    this.mcp.checkOrigin(request);
    await this.mcp.answer(caller, request, response);
  }

  /** The server has nothing to say unasked, so it holds no streams open. */
  @Get()
  @Access({ scope: 'chat', summary: 'Not offered' })
  listen(@Res({ passthrough: true }) response: Response): never {
    response.setHeader('Allow', 'POST, DELETE');
    throw new AppError('method_not_allowed', 'This server sends nothing unasked');
  }

  @Delete()
  @HttpCode(204)
  @Access({ scope: 'chat', summary: 'End a session and the calls that go on in it' })
  end(@CurrentCaller() caller: Caller, @Req() request: BellwetherRequest): void {
    this.mcp.checkOrigin(request);
    this.mcp.end(caller, request);
  }
}
