/**
 * A hash of what stays the same about a device: graphics, screen, time zone and languages. Only the
 * hash leaves the browser. The browser's version is left out, since it changes every few weeks.
 */
export const deviceHash = async (): Promise<string> => {
  const { hardwareConcurrency, languages, maxTouchPoints, platform } = navigator;
  const { width, height, colorDepth } = screen;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const traits = [
    platform,
    hardwareConcurrency,
    maxTouchPoints,
    languages.join(),
    timeZone,
    Math.max(width, height),
    Math.min(width, height),
    colorDepth,
    devicePixelRatio,
    graphicsOf(),
  ];
  const bytes = new TextEncoder().encode(JSON.stringify(traits));
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

const graphicsOf = (): string => {
  const gl = document.createElement('canvas').getContext('webgl');
  const names = gl?.getExtension('WEBGL_debug_renderer_info');
  if (!gl || !names) return '';
  return String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL));
};
