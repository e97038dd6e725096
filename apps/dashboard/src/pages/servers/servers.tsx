import { PageHead } from '../../parts/page-head.tsx';

export const Servers = () => <PageHead title="Servers" />;
