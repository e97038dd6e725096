/** jq 1.8 as WebAssembly, with its bytes inside: there is no second file to find. */
export { loadJq } from 'jq-wasm/inline';
