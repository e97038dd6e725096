type Given = Record<string, string | undefined>;

/** What cannot be left out beside the settings that are given. */
export const findMissing = (given: Given, isProduction: boolean): string[] => [
  ...(isProduction ? missingInProduction(given) : missingCredential(given)),
  ...missingCaptcha(given),
  ...missingDatabaseUrl(given),
];

const neededInProduction = [
  'BASE_URL',
  'DATABASE_URL',
  'MASTER_KEYS',
  'PLATFORM_CLIENT_ID',
  'PLATFORM_CLIENT_SECRET',
] as const;

const missingInProduction = (given: Given): string[] => {
  const missing = neededInProduction.filter((name) => isMissing(given, name));
  if (missing.length === 0) return [];
  const list = missing.map((name) => `  ${name}`).join('\n');
  return [
    `Production needs these settings, which are missing:\n${list}\n.env.example explains them.`,
  ];
};

/** A file that cannot be used is reported as such. */
const isMissing = (given: Given, name: string): boolean =>
  given[name] === undefined && given[`${name}_FILE`] === undefined;

/** With only one of them it is unclear which mode was meant. */
const missingCredential = (given: Given): string[] =>
  missingOfPair(given, ['PLATFORM_CLIENT_ID', 'PLATFORM_CLIENT_SECRET'], 'for local mode');

/** With only one of them every TURNSTILE or HCAPTCHA check would fail. */
const missingCaptcha = (given: Given): string[] =>
  missingOfPair(given, ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET'], 'to use the built-in captcha alone');

const besideDatabaseUrl = {
  DATABASE_DIRECT_URL: 'is a second way to the database that it names',
  DATABASE_REPLICA_URL: 'is a standby of the database that it names',
};

/** Alone they would be ignored, and the embedded database started instead. */
const missingDatabaseUrl = (given: Given): string[] =>
  isMissing(given, 'DATABASE_URL')
    ? Object.entries(besideDatabaseUrl)
        .filter(([name]) => !isMissing(given, name))
        .map(([name, what]) => `DATABASE_URL is missing: ${name} ${what}`)
    : [];

const missingOfPair = (given: Given, pair: [string, string], why: string): string[] => {
  const missing = pair.filter((name) => isMissing(given, name));
  if (missing.length !== 1) return [];
  return [`${missing[0]} is missing: set both ${pair.join(' and ')}, or neither ${why}`];
};
