// Stands in the page itself: colours as they were chosen here before, or else as the system has them.
const chosenScheme = () => {
  try {
    return localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage is not allowed.
    return null;
  }
};
const systemScheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
const scheme = chosenScheme();
document.documentElement.dataset.mantineColorScheme =
  scheme === 'light' || scheme === 'dark' ? scheme : systemScheme;

// One after the other, so that the page answers in between.
const runScripts = async () => {
  for (const { href } of document.querySelectorAll('link[rel=modulepreload]')) await import(href);
};

// The stylesheet is there now. A window that is seen paints the frame first; another one paints nothing.
addEventListener('DOMContentLoaded', () => {
  if (document.hidden) runScripts();
  else requestAnimationFrame(() => setTimeout(runScripts));
});
