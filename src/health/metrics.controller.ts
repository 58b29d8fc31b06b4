import { AppError, notFound } from '@bellwether/kernel';
import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Get, Header, Headers, Inject, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CONFIG, type Config } from '../infrastructure/config';
import { ProblemDto, Public } from '../infrastructure/http';
import { FORMATS, type Format, MetricRegistry } from '../infrastructure/telemetry';

/** Prometheus asks for OpenMetrics where it can read it. */
export const formatFor = (accept: string | undefined): Format =>
  accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'prometheus';

export const contentTypeOf = (format: Format): string => FORMATS[format];

/** True for `Authorization: Bearer <token>`, compared in constant time; and where no token is set. */
export function mayScrape(token: string | null, authorization: string | undefined): boolean {
  if (token === null) return true;
  const [, given] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const EXAMPLE = `# HELP bellwether_completions_active Answers of assistants that are being made, called assistants and background runs included.
# TYPE bellwether_completions_active gauge
bellwether_completions_active 3
`;

/** `/metrics` on the public port: only with a token, and only without a port of its own. */
@ApiTags('Health')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly registry: MetricRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @Public(
    'Metrics for Prometheus. 404 unless METRICS_TOKEN is set and METRICS_PORT is not; the token is the credential.',
  )
  @Header('Cache-Control', 'no-store')
  @ApiBearerAuth()
  @ApiProduces(...Object.values(FORMATS).map((type) => type.split(';', 1)[0] ?? type))
  @ApiOkResponse({ schema: { type: 'string', example: EXAMPLE } })
  @ApiResponse({ status: 401, type: ProblemDto, description: 'The token is missing or wrong' })
  @ApiResponse({ status: 404, type: ProblemDto, description: 'Metrics are not served here' })
  async metrics(
    @Res({ passthrough: true }) response: Response,
    @Headers('authorization') authorization?: string,
    @Headers('accept') accept?: string,
  ): Promise<string> {
    const { port, token } = this.config.metrics;
    if (token === null || port !== null) throw notFound('Page');
    if (!mayScrape(token, authorization)) throw new AppError('unauthenticated', 'The token of the metrics is required');
    const format = formatFor(accept);
    const text = await this.registry.scrape(format);
    response.setHeader('Content-Type', contentTypeOf(format));
    return text;
  }
}
