import type { Caller } from '@bellwether/kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../infrastructure/http';
import { MeDto } from '../api-key.dto';
import { CurrentUserService } from './open-sessions.service';

@ApiTags('API keys')
@Controller('api/v1/me')
export class MeController {
  constructor(private readonly myself: CurrentUserService) {}

  @Get()
  @Access({ scope: 'read', or: 'chat', summary: 'Who am I?' })
  me(@CurrentCaller() caller: Caller): Promise<MeDto> {
    return this.myself.of(caller);
  }
}
