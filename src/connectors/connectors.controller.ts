import type { Caller } from '@bellwether/kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../infrastructure/http';
import { ConnectorListDto } from './connectors.dto';
import { EmbeddingsService } from './embeddings.service';
import { ConnectorsService } from './connectors.service';

@ApiTags('Catalogues')
@Controller('api/v1/connectors')
export class ConnectorsController {
  constructor(
    private readonly connectors: ConnectorsService,
    private readonly embeddings: EmbeddingsService,
  ) {}

  @Get()
  @Access({ scope: 'read', summary: 'Model vendors, with the models that the caller’s organization enabled' })
  async list(@CurrentCaller() caller: Caller): Promise<ConnectorListDto> {
    return { connectors: await this.connectors.list(caller), model_folder: this.embeddings.modelFolder };
  }
}
