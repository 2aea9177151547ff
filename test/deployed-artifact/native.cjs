const { request } = require('node:http');

/*
 * Replaces the native part of aws-lambda-ric, which is compiled at installation: three calls of the Runtime API
 * (docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html). As there, a response is sent before the next event is requested.
 */

const { hostname, port } = new URL(`http://${process.env.AWS_LAMBDA_RUNTIME_API}`);

/** @returns {Promise<{ bodyJson: string, headers: import('node:http').IncomingHttpHeaders }>} */
const call = (method, path, body, headers = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: `/2018-06-01/runtime/invocation/${path}`, headers },
      (answer) => {
        let bodyJson = '';
        answer
          .setEncoding('utf8')
          .on('data', (text) => {
            bodyJson += text;
          })
          .on('end', () => resolve({ bodyJson, headers: answer.headers }));
      },
    );
    sent.on('error', reject).end(body);
  });

let lastPost = Promise.resolve();
const post = (...args) => {
  lastPost = lastPost.then(() => call('POST', ...args));
};

exports.next = () => lastPost.then(() => call('GET', 'next'));
exports.done = (id, body) => post(`${id}/response`, body);
exports.error = (id, body) => post(`${id}/error`, body, { 'Lambda-Runtime-Function-Error-Type': 'Unhandled' });
