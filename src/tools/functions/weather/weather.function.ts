import type { JsonObject } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../infrastructure/config';
import { OutboundClient } from '../../../infrastructure/outbound';
import {
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type ToolDefinition,
  ToolFailure,
} from '../../contract';
import { LANGUAGES, type Language, OpenMeteo, type Place, UNITS, type Units, isPlace, wantedPlace } from './open-meteo';

export interface WeatherConfig extends JsonObject {
  readonly units: Units;
}

interface WeatherArguments extends JsonObject {
  readonly city: string;
  readonly days?: number;
  readonly language?: Language;
}

const DAYS = 3;
const OTHERS = 4;

/** Weather of a city, from Open-Meteo. A city without an exact match of its name is an error, never a similar city. */
@Injectable()
export class WeatherFunction implements FunctionPlugin<WeatherConfig> {
  readonly definition: ToolDefinition = DEFINITION;
  private readonly openMeteo: OpenMeteo;

  constructor(
    @Inject(OutboundClient) outbound: Pick<OutboundClient, 'request'>,
    @Inject(CONFIG) { weather }: Pick<Config, 'weather'>,
  ) {
    this.openMeteo = new OpenMeteo(outbound, weather.apiUrl);
  }

  offer(): Promise<readonly FunctionDeclaration[]> {
    return Promise.resolve([DECLARATION]);
  }

  async call(_: string, args: JsonObject, { units }: WeatherConfig, context: FunctionContext): Promise<FunctionOutput> {
    const { city, days = DAYS, language = 'en' } = args as WeatherArguments;
    const { signal } = context;
    const [place, ...others] = await this.placesCalled(city, language, signal);
    if (place === undefined) throw unknownCity(city);
    const weather = await this.openMeteo.weather(place, days, units, signal);
    const namesakes = others.slice(0, OTHERS).map(describe);
    return {
      content: JSON.stringify({
        place: describe(place),
        timezone: weather.timezone,
        observed_at: weather.time,
        current: weather.current,
        forecast: weather.days,
        ...(namesakes.length === 0 ? {} : { other_places_of_this_name: namesakes }),
      }),
    };
  }

  /** Filters the vendor's results, which include similar names, for exact matches. */
  private async placesCalled(city: string, language: Language, signal: AbortSignal): Promise<readonly Place[]> {
    const wanted = wantedPlace(city);
    if (wanted.name === '') return [];
    return (await this.openMeteo.places(wanted.name, language, signal)).filter((place) => isPlace(wanted, place));
  }
}

const unknownCity = (city: string): ToolFailure =>
  new ToolFailure(
    'tool.arguments_invalid',
    `no city called "${city}" is known; give its full name in English, or say which language the name is in`,
  );

const describe = ({ name, areas, country }: Place): string =>
  [name, areas[0] ?? null, country].filter((part) => part !== null).join(', ');

const DECLARATION: FunctionDeclaration = {
  name: 'get_weather',
  description: 'Current weather and the forecast of the coming days for one city.',
  parameters: {
    type: 'object',
    properties: {
      city: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        description: 'Name of the city, optionally with its region or country: "Bergen, Norway".',
      },
      days: {
        type: 'integer',
        minimum: 1,
        maximum: 7,
        description: 'Days of forecast, today included; 3 unless given.',
      },
      language: {
        type: 'string',
        enum: [...LANGUAGES],
        description: 'Language the name is written in; en unless given.',
      },
    },
    required: ['city'],
    additionalProperties: false,
  },
};

const DEFINITION: ToolDefinition = {
  name: 'weather',
  aliases: [],
  display_name: 'Weather',
  description: 'Lets the model look up the current weather and the forecast of a city.',
  texts: {
    es: { name: 'El tiempo', about: 'El modelo puede consultar el tiempo actual y la previsión de una ciudad.' },
    ca: { name: 'El temps', about: 'El model pot consultar el temps actual i la previsió d’una ciutat.' },
    eu: { name: 'Eguraldia', about: 'Ereduak hiri bateko uneko eguraldia eta iragarpena kontsulta ditzake.' },
  },
  placeholder: null,
  category: 'utilities',
  version: '1.0.0',
  kind: 'function',
  function_name: DECLARATION.name,
  icon: 'cloud-sun',
  allow_multiple: false,
  config_schema: {
    type: 'object',
    properties: {
      units: {
        type: 'string',
        title: 'Units',
        description: 'Celsius and km/h, or Fahrenheit and mph.',
        enum: [...UNITS],
        default: 'metric',
      },
    },
    additionalProperties: false,
  },
  parameters: DECLARATION.parameters,
  examples: [
    {
      query: 'Do I need an umbrella in Bergen tomorrow?',
      parameters: { units: 'metric' },
      expected_result: 'Temperature, condition and chance of rain for the coming days in Bergen, Norway.',
    },
  ],
  capabilities: ['weather', 'live_data'],
  limitations: ['Cities by name only; up to seven days.'],
  cost: { unit: 'request', estimate: 2 },
};
