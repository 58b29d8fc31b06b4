import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../src/infrastructure/http';
import type { PublicJwk } from './key-pair';
import { ToolKeys } from './tool-keys.service';

@ApiExcludeController()
@Controller('lti')
export class JwksController {
  constructor(private readonly keys: ToolKeys) {}

  @Get('jwks')
  @Header('Cache-Control', 'public, max-age=300')
  @Public('Public keys of this service as an LTI tool')
  jwks(): Promise<{ keys: PublicJwk[] }> {
    return this.keys.publicSet();
  }
}
