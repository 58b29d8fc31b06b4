import type { Caller } from '@bellwether/kernel';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, toPageRequest } from '../infrastructure/http';
import { Idempotent } from '../infrastructure/idempotency';
import { ApiKeyPageDto, CreateApiKeyDto, CreatedApiKeyDto, ListApiKeysDto } from './api-key.dto';
import { ApiKeysService } from './api-keys.service';

@ApiTags('API keys')
@Controller('api/v1/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Access({ scope: 'read', summary: 'List API keys' })
  list(@CurrentCaller() caller: Caller, @Query() query: ListApiKeysDto): Promise<ApiKeyPageDto> {
    return this.keys.list(caller, query.owner, toPageRequest(query));
  }

  @Post()
  @Idempotent({ sealed: true })
  @Access({
    scope: 'write',
    summary: 'Make an API key',
    description: 'The answer shows the key, once. It is never wider than the credential that makes it.',
  })
  create(@CurrentCaller() caller: Caller, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.keys.create(caller, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @Access({ scope: 'write', summary: 'Revoke an API key' })
  async revoke(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.keys.revoke(caller, id);
  }
}
