import { ApiProperty } from '@nestjs/swagger';
import {
  STRATEGY_ORDERS,
  STRATEGY_SETTINGS,
  type StrategySetting,
  type StrategyShape,
  type StrategyText,
} from './contract';

export class StrategyShapeDto implements StrategyShape {
  /** `chain`: each tool follows the one before it. `parallel`: none waits. `dependencies`: each waits for its `depends_on`. */
  @ApiProperty({ enum: STRATEGY_ORDERS })
  order!: StrategyShape['order'];
  /** A plan made for each question decides which tools run. */
  planned!: boolean;
}

export class StrategyTextDto implements StrategyText {
  name!: string;
  about!: string;
  best!: string;
}

export class StrategyTextsDto {
  en?: StrategyTextDto;
  es?: StrategyTextDto;
  ca?: StrategyTextDto;
  eu?: StrategyTextDto;
}

export class OrchestratorDto {
  name!: string;
  description!: string;
  /** Texts for people, by language; a missing language falls back to `description`. */
  texts!: StrategyTextsDto;
  /** JSON Schema of the strategy's settings. */
  options_schema!: Record<string, unknown>;
  /** Settings of a tool that the strategy heeds. */
  @ApiProperty({ enum: STRATEGY_SETTINGS, isArray: true })
  reads!: StrategySetting[];
  shape!: StrategyShapeDto;
  /** The strategy to start with. */
  recommended!: boolean;
}

export class OrchestratorListDto {
  orchestrators!: OrchestratorDto[];
}
