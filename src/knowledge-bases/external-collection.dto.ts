import { ApiProperty } from '@nestjs/swagger';
import { PageQueryDto, PageOf } from '../infrastructure/http';

export class ExternalCollectionQueryDto extends PageQueryDto {}

export class ExternalCollectionDto {
  /** Id for `collections` of an assistant. */
  @ApiProperty({ example: '7' })
  id!: string;

  name!: string;

  /** Id of the user who owns it. */
  owner!: string;

  /** Listed for every member of the organization. */
  shared!: boolean;
}

export class ExternalCollectionPageDto extends PageOf(ExternalCollectionDto) {}
