import { z } from 'zod';
import { Secret } from '../../kernel/secret.ts';

/** `name=value,name=value`, percent-encoded; undefined where it is not of that form. */
export const parsePairs = (text: string): Record<string, string> | undefined => {
  try {
    return Object.fromEntries(text.split(',').map(parsePair));
  } catch {
    return undefined;
  }
};

const parsePair = (pair: string): [string, string] => {
  const [, name, value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? [];
  if (name === undefined) throw new Error('Not a pair');
  return [decodeURIComponent(name), decodeURIComponent(value.trim())];
};

/** Never quotes what was given, which may be a secret. */
const pairs = z
  .string()
  .refine(
    (text) => parsePairs(text) !== undefined,
    'Must be name=value, separated by commas, percent-encoded',
  );

const httpUrl = z.url({ protocol: /^https?$/ });

/** The variables that OpenTelemetry defines, as far as they are read here. */
export const tracingEnvironment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', 'Only http/protobuf is spoken, usually at port 4318')
    .optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs.optional(),
  OTEL_TRACES_SAMPLER: z
    .enum([
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ])
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: z.coerce.number().int().min(10).max(60_000).default(5000),
  OTEL_BSP_MAX_QUEUE_SIZE: z.coerce.number().int().min(1).max(65_536).default(2048),
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false'),
};

type Settings = z.output<z.ZodObject<typeof tracingEnvironment>>;

export type TracingSettings = NonNullable<ReturnType<typeof readTracing>>;

/** Undefined where no collector is named: then nothing of it is loaded. */
export const readTracing = (settings: Settings) => {
  const url = urlOf(settings);
  if (url === undefined || settings.OTEL_SDK_DISABLED === 'true') return undefined;
  const { OTEL_EXPORTER_OTLP_HEADERS: headers } = settings;
  return {
    url,
    headers: headers === undefined ? undefined : new Secret(headers),
    resourceAttributes: resourceAttributesOf(settings),
    sampledShare: sampledShareOf(settings),
    sendEveryMs: settings.OTEL_BSP_SCHEDULE_DELAY,
    mostWaiting: settings.OTEL_BSP_MAX_QUEUE_SIZE,
  };
};

/** The one for traces is used as it is, the one for everything is a root. */
const urlOf = (settings: Settings): string | undefined => {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: root } = settings;
  return own ?? (root === undefined ? undefined : `${root.replace(/\/+$/, '')}/v1/traces`);
};

const resourceAttributesOf = ({
  OTEL_RESOURCE_ATTRIBUTES: given,
  OTEL_SERVICE_NAME: name,
}: Settings): Record<string, string> => ({
  'service.name': 'holdfast',
  ...parsePairs(given ?? ''),
  ...(name !== undefined && { 'service.name': name }),
});

/** What a caller's header says about sampling is not believed: `parentbased_` changes nothing. */
const sampledShareOf = (settings: Settings): number => {
  const sampler = settings.OTEL_TRACES_SAMPLER.replace('parentbased_', '');
  if (sampler === 'traceidratio') return settings.OTEL_TRACES_SAMPLER_ARG;
  return sampler === 'always_on' ? 1 : 0;
};
