import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../../src/infrastructure/http';
import { ExpectationCatalogue } from './expectation-catalogue';
import { ExpectationListDto } from './expectation.dto';

@ApiTags('Catalogues')
@Controller('api/v1/expectations')
export class ExpectationsController {
  constructor(private readonly catalogue: ExpectationCatalogue) {}

  @Get()
  @Access({ scope: 'read', summary: 'Kinds of expectations of tests' })
  list(): ExpectationListDto {
    return { expectations: this.catalogue.definitions().map((each) => ({ ...each })) };
  }
}
