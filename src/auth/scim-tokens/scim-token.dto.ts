import { ApiProperty } from '@nestjs/swagger';
import { IsName, Flag } from '../../infrastructure/http';

export class CreateScimTokenDto {
  @IsName({ example: 'Microsoft Entra ID' }) name!: string;

  /** The directory may take over members that were there before it, by their address. */
  @Flag() link_existing?: boolean;
}

export class ScimTokenDto {
  id!: string;
  @ApiProperty({ example: 'Microsoft Entra ID' })
  name!: string;
  link_existing!: boolean;
  created_by!: string;
  created_at!: string;
  /** Time of the last use, accurate to a minute; null before the first use. */
  last_used_at!: string | null;
}

export class ScimTokensDto {
  /** Address of the SCIM service, to be entered in the directory. */
  @ApiProperty({ example: 'https://bellwether.example.edu/scim/v2' })
  base_url!: string;
  tokens!: ScimTokenDto[];
}

export class NewScimTokenDto extends ScimTokenDto {
  /** Shown once; only its hash is stored. */
  @ApiProperty({ example: 'bw_scim_…' })
  token!: string;
}
