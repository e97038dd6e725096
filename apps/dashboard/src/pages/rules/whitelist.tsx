import { PageHead } from '../../parts/page-head.tsx';

export const Whitelist = () => <PageHead title="Whitelist" />;
