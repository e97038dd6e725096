/** The variables that the command line reads, and what they mean. */
export const environment: [string, string][] = [
  ['HOLDFAST_API_KEY', 'the key, for the service at HOLDFAST_URL'],
  ['HOLDFAST_URL', 'where the service is'],
  ['HOLDFAST_PROFILE', 'the profile, unless --profile names one'],
  ['HOLDFAST_ALLOW_HTTP', '1 to send HOLDFAST_API_KEY to another machine without encryption'],
  ['HOLDFAST_TIMEOUT', 'seconds to wait for an answer; 15 by default'],
  ['XDG_CONFIG_HOME', 'profiles are kept in its folder holdfast; ~/.config by default'],
  ['NO_COLOR', 'no colours'],
];
